"""What is drawn or put beside an object to look at: takes, evaluations, capsules, boxes, charts."""
