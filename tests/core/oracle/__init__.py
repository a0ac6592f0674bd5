"""The machine as one class, as it was before it was taken apart: the other side of a differential test."""
