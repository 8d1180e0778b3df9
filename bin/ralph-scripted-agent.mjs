#!/usr/bin/env node
import '../dist/scripted-agent.js'
