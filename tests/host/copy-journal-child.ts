// A thread that copies a database at the moment when its rollback journal would have to be undone after a kill.
import fs from 'node:fs'
import { workerData } from 'node:worker_threads'

const { file, copy, found } = workerData as { file: string; copy: string; found: Int32Array }
const journal = `${file}-journal`

/** Its first bytes are written last, once it is on disk. */
function isHot(content: Buffer | null): content is Buffer {
  return content !== null && content.length > 512 && content.readUInt32BE() !== 0
}

function read(from: string): Buffer | null {
  try {
    return fs.readFileSync(from)
  } catch {
    return null
  }
}

while (Atomics.load(found, 0) === 0) {
  const before = read(journal)
  if (!isHot(before)) continue
  const content = fs.readFileSync(file)
  const count = fs.readFileSync(`${file}-commits`)
  const after = read(journal)
  // The same journal before and after: the file was not finished in between.
  if (!isHot(after) || !after.equals(before)) continue
  fs.writeFileSync(copy, content)
  fs.writeFileSync(`${copy}-journal`, before)
  fs.writeFileSync(`${copy}-commits`, count)
  Atomics.store(found, 0, 1)
}
