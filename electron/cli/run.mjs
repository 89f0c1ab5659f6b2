#!/usr/bin/env node
// `coffer …`: what was built, which starts in a third of the time, or the sources where one of them is newer.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { newest } from './build.mjs'
import { root } from './install.mjs'

const built = path.join(root, 'out', 'cli', 'coffer.js')
const since = newest(built)
const sources = ['electron', 'shared', 'package.json', 'package-lock.json'].map((each) =>
  path.join(root, each),
)
const isFresh = sources.every((source) => newest(source) <= since)
await import(isFresh ? pathToFileURL(built).href : './coffer.ts')
