import io
import json

import pytest

from invoice.app import App


class Client:
    """Calls the application as a web server would."""

    def __init__(self, app):
        self.app = app

    def request(self, method, path, data=None):
        body = b"" if data is None else data if isinstance(data, bytes) else json.dumps(data).encode()
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
        seen = []
        parts = self.app(environ, lambda status, headers: seen.append(status))
        return int(seen[0].split()[0]), b"".join(parts).decode()


@pytest.fixture
def client():
    return Client(App())


@pytest.fixture
def order():
    return {
        "date": "2024-03-09",
        "customer": {
            "name": "Ada Byron",
            "address": {"street": "12 Mill Lane", "city": "Cork", "country": "IE"},
        },
        "lines": [
            {"text": "Teapot", "quantity": 2, "price": "19.95"},
            {"text": "Tea, 250 g", "quantity": 1, "price": "7.30", "class": "zero"},
        ],
    }
