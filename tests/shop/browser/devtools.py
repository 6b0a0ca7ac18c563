# SPDX-License-Identifier: Apache-2.0

"""A headless Chromium, driven over its DevTools protocol.

    with Browser("/usr/bin/chromium", folder) as browser:
        browser.open("http://127.0.0.1:8080/")
        browser.evaluate("document.title")
        browser.screenshot("page.png")

What the pages have asked for, and what they have complained about, is in `requests`,
`complaints` and `failures`. It is not safe for concurrent use.
"""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import time
import urllib.request


class WebSocket:
    """The client's side of RFC 6455, for text messages only."""

    def __init__(self, url, limit):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), limit)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self._receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(f"the browser refuses the connection: {head!r}")

    def _receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise RuntimeError("the browser has gone")
        self.buffer += data

    def _take(self, size):
        while len(self.buffer) < size:
            self._receive()
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def send(self, text):
        data = text.encode()
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x81, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
        # A mask of zeros leaves the data as it is; on loopback no proxy can mistake it.
        self.socket.sendall(head + bytes(4) + data)

    def receive(self, limit):
        """Returns a message, or None when none has begun by then."""
        message = b""
        self.socket.settimeout(limit)
        try:
            first, second = self._take(2)
        except TimeoutError:
            return None
        self.socket.settimeout(30)
        while True:
            size = second & 0x7F
            if size == 126:
                size = struct.unpack("!H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self._take(8))[0]
            data = self._take(size)
            if first & 0x0F in (0, 1):
                message += data
                if first & 0x80:
                    return message.decode()
            first, second = self._take(2)

    def close(self):
        self.socket.close()


class Browser:
    def __init__(self, program, folder, limit=30):
        self.limit = limit
        self.last = 0
        self.requests = []  # addresses
        self.complaints = []  # of the console: errors and warnings
        self.failures = []  # exceptions that no code has caught
        self.profile = os.path.join(folder, "profile")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update",
             "--disable-extensions", "--disable-sync", "--remote-debugging-port=0",
             f"--user-data-dir={self.profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.socket = WebSocket(self._page_address(), limit)
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if hasattr(self, "socket"):
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _page_address(self):
        port_file = os.path.join(self.profile, "DevToolsActivePort")
        end = time.monotonic() + self.limit
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError("the browser has ended at once")
            try:
                with open(port_file, encoding="ascii") as file:
                    port = int(file.readline())
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                    for target in json.load(answer):
                        if target["type"] == "page":
                            return target["webSocketDebuggerUrl"]
            except (OSError, ValueError):
                pass
            time.sleep(0.05)
        raise RuntimeError("the browser does not start")

    def _note(self, message):
        method, what = message["method"], message["params"]
        if method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.failures.append(str(what["exceptionDetails"].get("exception", what)))
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning"):
            self.complaints.append(str(what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")

    def call(self, method, **parameters):
        self.last += 1
        self.socket.send(json.dumps(
            {"id": self.last, "method": method, "params": parameters}))
        end = time.monotonic() + self.limit
        while time.monotonic() < end:
            text = self.socket.receive(1)
            if text is None:
                continue
            message = json.loads(text)
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self._note(message)
        raise RuntimeError(f"{method}: no answer from the browser")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.await_true("document.readyState === 'complete' && location.href !== 'about:blank'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def await_true(self, expression, limit=None):
        end = time.monotonic() + (limit or self.limit)
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise AssertionError(f"in vain: {expression}")
            time.sleep(0.05)

    def view(self, width, height, dark=False, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", format="png",
                         captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
