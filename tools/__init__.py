"""The demo, the zip, the gallery and the screenshots."""
