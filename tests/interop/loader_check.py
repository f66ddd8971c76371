print("loader-check: 0 passed, 0 failed")
