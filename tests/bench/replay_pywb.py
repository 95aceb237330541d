"""pywb in proxy mode over an archive's WARC, with its own rewriting and banner off: what it does fastest.

Its programs are those of the folder that WEBDS_PYWB names, else of an environment that is made once in `.bench/`.
"""

import os
import subprocess
from pathlib import Path

from tests.bench.steps import peer_python
from webds_recorder.archive import ArchiveReader
from webds_recorder.warc_export import export_warc

REQUIREMENT = "pywb==2.10.0"
_CONFIG = """\
proxy:
  coll: c
  enable_banner: false
  enable_content_rewrite: false
  enable_wombat: false
  default_timestamp: "{stamp}"
  ca_file_cache: {ca}
"""


def programs() -> Path:
    """Folder of wayback and wb-manager. RuntimeError with the reason where there is none and none can be made."""
    named = os.environ.get("WEBDS_PYWB", "")
    found = Path(named) if named else peer_python("pywb", REQUIREMENT).parent
    if not (found / "wayback").is_file():
        raise RuntimeError(f"{found}: no wayback here")
    return found


def ca(folder: Path) -> Path:
    """Where pywb puts its CA: under the name that the bench looks for."""
    return folder / "pywb" / "ca"


def pywb(folder: Path, archive: Path) -> list[str]:
    """Words of pywb's proxy over the archive, with PORT to be replaced. RuntimeError: it cannot be had."""
    tools, home = programs(), folder / "pywb"
    ca(folder).mkdir(parents=True, exist_ok=True)
    warc = folder / "bench.warc.gz"
    with ArchiveReader(archive) as reader, warc.open("wb") as out:
        export_warc(reader, out)
        stamp = reader.frozen.strftime("%Y%m%d%H%M%S")
    for words in (["init", "c"], ["add", "c", str(warc)]):
        done = subprocess.run([tools / "wb-manager", *words], cwd=home, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"wb-manager {words[0]}: {done.stderr.strip()[-300:]}")
    (home / "config.yaml").write_text(_CONFIG.format(stamp=stamp, ca=ca(folder) / "mitmproxy-ca-cert.pem"))
    return [str(tools / "wayback"), "-d", str(home), "-b", "127.0.0.1", "-p", "PORT"]
