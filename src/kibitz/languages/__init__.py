"""The languages that come with Kibitz, as loading, checking and showing games needs them."""
