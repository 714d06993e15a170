"""A process that serves rooms from a database, for tests that do it harm: it says its port."""

import sys
import time

from lnviz.rooms.live import Live
from lnviz.rooms.store import Store
from tests.web.serving import served

if __name__ == "__main__":
    with served(rooms=Live(lambda: Store(sys.argv[1]))) as site:
        print(site.port, flush=True)
        while True:
            time.sleep(60)
