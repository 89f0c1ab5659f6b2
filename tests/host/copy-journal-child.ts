// A thread that copies a database at a moment when a kill would leave a hot rollback journal.
import fs from 'node:fs'
import { workerData } from 'node:worker_threads'

const { file, copy, found } = workerData as { file: string; copy: string; found: Int32Array }
const journal = `${file}-journal`

/** SQLite writes the first bytes of a journal last, so a journal that has them is complete. */
function isHot(content: Buffer | null): content is Buffer {
  return content !== null && content.length > 512 && content.readUInt32BE() !== 0
}

function readOptional(from: string): Buffer | null {
  try {
    return fs.readFileSync(from)
  } catch {
    return null
  }
}

while (Atomics.load(found, 0) === 0) {
  const before = readOptional(journal)
  if (!isHot(before)) continue
  const content = fs.readFileSync(file)
  const count = fs.readFileSync(`${file}-commits`)
  const after = readOptional(journal)
  // If the journal is unchanged, SQLite has not completed its change of the file in between.
  if (!isHot(after) || !after.equals(before)) continue
  fs.writeFileSync(copy, content)
  fs.writeFileSync(`${copy}-journal`, before)
  fs.writeFileSync(`${copy}-commits`, count)
  Atomics.store(found, 0, 1)
}
