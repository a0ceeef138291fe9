"""`python -m hongyan` is `hongyan`."""

import sys

from hongyan.entrypoints.cli.main import main

sys.exit(main())
