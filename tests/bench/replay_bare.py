"""The measure of our replay: a Master with the five addons that are needed, answering from a dict in memory."""

import asyncio
import sys
from pathlib import Path

from mitmproxy import http
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options

from webds_recorder.archive import ArchiveReader


class Memory:
    """The fifth addon: every answer by method and URL."""

    def __init__(self, archive: Path) -> None:
        with ArchiveReader(archive) as found:
            self.answers = {
                (row.method, row.request.url): (row.status, row.headers, found.body(row)) for row in found.rows()
            }

    def request(self, flow: http.HTTPFlow) -> None:
        found = self.answers.get((flow.request.method, flow.request.pretty_url))
        if found is None:
            flow.response = http.Response.make(404)
            return
        status, headers, body = found
        fields = [(name.encode(), value.encode()) for name, value in headers]
        flow.response = http.Response.make(status, body, http.Headers(fields))


async def main(archive: str, confdir: str, port: str) -> None:
    master = Master(Options(mode=[f"regular@127.0.0.1:{port}"]))
    master.addons.add(
        core.Core(), proxyserver.Proxyserver(), next_layer.NextLayer(), tlsconfig.TlsConfig(), Memory(Path(archive))
    )
    master.options.update(connection_strategy="lazy", upstream_cert=False)
    master.options.update(confdir=confdir)
    await master.run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
