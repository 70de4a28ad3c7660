"""What evaluating takes beyond `learning.evaluation`: colliders that takes have recorded."""
