import base64
import json
import os
import re
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# pip install cryptography
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

with open(".env") as file:
    os.environ.update(line.strip().split("=", 1) for line in file if "=" in line and not line.startswith("#"))
BASE_URL = os.environ["COFFER_BASE_URL"]
PORT = int(os.environ["PORT"])
orders = {}


def show_page():
    with open("page.html", encoding="utf-8") as file:
        page = file.read()
    return page.replace("COFFER_BASE_URL", BASE_URL).replace("COFFER_PUBLIC_KEY", os.environ["COFFER_PUBLIC_KEY"])


# The proxy inserts the card into the request, so this server never has its number.
def pay(token):
    if not re.fullmatch(r"[\w-]+", token):
        return 400, "This is no token."
    order = str(uuid.uuid4())
    orders[order] = "open"
    headers = {
        "SVC-API-KEY": os.environ["COFFER_API_KEY"],
        "SVC-PROXY-KEY": os.environ["COFFER_PROXY_KEY"],
        "SVC-TRACE-ID": order,
        "Content-Type": "application/json",
    }
    card = "{{ " + token + " | json: '$.number' }}"
    body = json.dumps({"amount": 1999, "currency": "EUR", "card": card}).encode()
    try:
        urllib.request.urlopen(urllib.request.Request(f"{BASE_URL}/proxy", body, headers)).close()
        return 200, order
    except urllib.error.HTTPError as error:
        orders[order] = "failed"
        return 502, error.read().decode()


# Events arrive signed. Only one that the vault has signed marks an order as paid.
def receive_event(body, signature):
    with urllib.request.urlopen(f"{BASE_URL}/.well-known/webhooks.v1.key") as response:
        key = serialization.load_pem_public_key(response.read())
    pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=padding.PSS.AUTO)
    try:
        key.verify(base64.b64decode(signature), body, pss, hashes.SHA256())
    except (InvalidSignature, ValueError):
        return 400, "The signature is wrong."
    event = json.loads(body)["event"]
    if event["trace_id"] in orders:
        paid = event["data"]["destination"]["response"]["status"] == 200
        orders[event["trace_id"]] = "paid" if paid else "failed"
    return 200, ""


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/":
            self.answer(200, show_page(), "text/html")
        elif self.path.startswith("/orders/"):
            self.answer(200, orders.get(self.path.removeprefix("/orders/"), "unknown"))
        else:
            self.answer(404, "Not found")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.path == "/pay":
            self.answer(*pay(body.decode()))
        elif self.path == "/webhook":
            self.answer(*receive_event(body, self.headers["BT-SIGNATURE"] or ""))
        else:
            self.answer(404, "Not found")

    def answer(self, status, text, content_type="text/plain"):
        self.send_response(status)
        self.send_header("Content-Type", f"{content_type}; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())


print(f"http://localhost:{PORT}", flush=True)
ThreadingHTTPServer(("localhost", PORT), Shop).serve_forever()
