"""Wire formats: every flatbuffer layout declared once, in ``layouts.py``."""
