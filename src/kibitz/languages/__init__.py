"""The languages that come with Kibitz: Python, RECYCLE and GDL.

Each module has a subclass of ``kibitz.syntax.language.Language``, and an instance of it for the
entry point. ``texts`` has the result of a check of a text, ``guide`` the reference page of a
language as HTML.
"""
