#!/bin/sh
# Passes once greet.sh knows a name.
test "$(sh greet.sh Ann)" = "hello Ann"
