"""An archive as mitmproxy's flow file: `python replay_flows.py ARCHIVE FILE`."""

import sys
from pathlib import Path

from mitmproxy import http, io
from mitmproxy.test import tflow, tutils

from webds_recorder.archive import ArchiveReader

with ArchiveReader(Path(sys.argv[1])) as archive, Path(sys.argv[2]).open("wb") as out:
    writer = io.FlowWriter(out)
    for row in archive.rows():
        path = row.path + (f"?{row.query}" if row.query else "")
        request = tutils.treq(
            method=row.method.encode(), scheme=row.scheme.encode(), host=row.host, port=row.port, path=path.encode(),
            headers=http.Headers([(b"host", row.host.encode())]), content=archive.request_body(row) or b"",
            authority=b"",
        )  # fmt: skip
        flow = tflow.tflow(req=request)
        fields = [(name.encode(), value.encode()) for name, value in row.headers]
        flow.response = http.Response.make(row.status, archive.body(row), http.Headers(fields))
        writer.add(flow)
