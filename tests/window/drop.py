"""Drops files on a window as a file manager does (the XDND protocol, freedesktop.org), version 5 as GLFW speaks it."""
import time

from Xlib import X, Xatom, display
from Xlib.protocol import event


def quoted(path):
    return "file://" + "".join(c if c.isalnum() or c in "/._-" else "".join(f"%{b:02X}" for b in c.encode()) for c in path)


def drop(display_name, window_id, paths, x=20, y=20, seconds=5):
    """True when the window has taken them."""
    screen = display.Display(display_name)
    try:
        return _drop(screen, screen.create_resource_object("window", int(window_id)), paths, x, y, seconds)
    finally:
        screen.close()


def _drop(screen, target, paths, x, y, seconds):
    atom = screen.intern_atom
    names = ("XdndEnter", "XdndPosition", "XdndStatus", "XdndDrop", "XdndFinished", "XdndSelection", "XdndActionCopy",
             "text/uri-list", "TARGETS")
    a = {name: atom(name) for name in names}
    root = screen.screen().root
    source = root.create_window(-5, -5, 1, 1, 0, X.CopyFromParent)
    source.set_selection_owner(a["XdndSelection"], X.CurrentTime)
    listed = "".join(quoted(path) + "\r\n" for path in paths).encode()

    def send(kind, data):
        target.send_event(event.ClientMessage(window=target, client_type=a[kind], data=(32, [source.id, *data])))
        screen.flush()

    def serve(request):
        answer = request.property
        if request.target == a["text/uri-list"]:
            request.requestor.change_property(answer, a["text/uri-list"], 8, listed)
        elif request.target == a["TARGETS"]:
            request.requestor.change_property(answer, Xatom.ATOM, 32, [a["text/uri-list"]])
        else:
            answer = X.NONE
        request.requestor.send_event(event.SelectionNotify(time=request.time, requestor=request.requestor,
                                                           selection=request.selection, target=request.target, property=answer))
        screen.flush()

    send("XdndEnter", [5 << 24, a["text/uri-list"], 0, 0])
    position = target.translate_coords(root, 0, 0)
    send("XdndPosition", [0, ((x - position.x) & 0xffff) << 16 | ((y - position.y) & 0xffff), X.CurrentTime, a["XdndActionCopy"]])
    end, dropped = time.monotonic() + seconds, False
    while time.monotonic() < end:
        if not screen.pending_events():
            time.sleep(0.01)
            continue
        happened = screen.next_event()
        if happened.type == X.SelectionRequest:
            serve(happened)
        elif happened.type == X.ClientMessage and happened.client_type == a["XdndStatus"] and not dropped:
            if not happened.data[1][1] & 1:
                return False
            send("XdndDrop", [0, X.CurrentTime, 0, 0])
            dropped = True
        elif happened.type == X.ClientMessage and happened.client_type == a["XdndFinished"]:
            return True
    return False
