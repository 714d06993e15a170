"""A process that serves rooms from a database, for tests that do it harm: it says its port."""

import sys
import time
from pathlib import Path

from tests.web.serving import with_rooms

if __name__ == "__main__":
    with with_rooms(Path(sys.argv[1])) as site:
        print(site.port, flush=True)
        while True:
            time.sleep(60)
