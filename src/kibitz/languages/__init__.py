"""The languages that come with Kibitz."""
