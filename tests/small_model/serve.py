"""llama.cpp's own HTTP server, started by the Python of .llm/venv: serve.py WEIGHTS THREADS PORT.

The first line of standard output is the address, on loopback. It ends when its standard input does: no parent, however
it was killed, leaves it behind. One slot, so that calls wait for each other.
"""

import os
import sys

import xllamacpp

path, threads, port = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = path
params.model_alias = {"local"}
params.n_ctx = 16_384
params.n_parallel = 1
params.n_batch = params.n_ubatch = 512
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(threads)
params.port = int(port)
params.warmup = False
params.use_jinja = True
params.ui = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)  # a reply that is being written is not waited for
