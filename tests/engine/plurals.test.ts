import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')

/** Nouns whose plural must not follow the number 1. */
const nouns =
  'application|attempt|backup|byte|call|column|day|deliver(?:y|ie)|document|event|exchange|expression|file|hour|key|line|minute|package|pair|record|request|row|run|second|session|time|token|value|week'
const plural = new RegExp(`\\$\\{([^{}]*)\\} (?:(?!of|with|sees|while)[a-z]+ ){0,2}(?:${nouns})s\\b`)

/** Returns whether a number is never 1: it is a limit, or the code before it compares it. */
const isNeverOne = (counted: string, before: string) =>
  /\b(BITS|[A-Z]+_[A-Z_]+)\b|\bmax/.test(counted) || /(===|!==|<|>) ?'?[127]\b/.test(before)

const known = new Set([
  // The number exceeds a limit of at least 1, so it is more than 1.
  'electron/engine/resources/detokenize/operations.ts',
  'electron/engine/resources/tokenize/requests.ts',
  // The number is a total above the number shown, so it is more than 1.
  'renderer/screens/reactors/strings.ts',
])

test('messages use formatCount where a plural noun could follow the number 1', () => {
  const wrong = ['electron', 'renderer', 'shared'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) => {
        const file = path.posix.join(folder, ...name.split(path.sep))
        if (known.has(file)) return []
        const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n')
        return lines.flatMap((line, at) => {
          const counted = plural.exec(line)?.[1]
          const before = lines.slice(Math.max(0, at - 4), at + 1).join('\n')
          return counted === undefined || isNeverOne(counted, before)
            ? []
            : [`${file}:${at + 1} ${line.trim()}`]
        })
      }),
  )
  expect(wrong).toEqual([])
})
