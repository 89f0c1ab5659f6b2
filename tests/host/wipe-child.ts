// Holds text in the old generation of its heap and in buffers. Releases it and wipes its freed memory on a message.
import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { wipeFreedMemory } from '../../electron/host/jobs/wipe-freed-memory.ts'

setFlagsFromString('--expose-gc')
const collect: NodeJS.GCFunction = runInNewContext('gc')
// As in `coffer serve`.
setFlagsFromString('--no-concurrent-array-buffer-sweeping')

/** The text is derived, so that it is in no code, argument or message. */
const createText = (number: number) => createHash('sha256').update(`text ${number}`).digest('hex')
const numbers = [...Array(2000).keys()]
// Objects between the strings stay, so that no page of the heap becomes empty.
const kept: object[] = []
let texts = numbers.map((number) => {
  kept.push({ number })
  return createText(number)
})
let buffers = numbers.slice(0, 20).map((number) => Buffer.allocUnsafeSlow(64 * 1024).fill(createText(number)))
// Two collections move what is in use to the old generation.
collect()
collect()
// Not `once`, which would let the process end during the wipe.
process.on('message', async () => {
  texts = []
  buffers = []
  collect()
  await wipeFreedMemory()
  process.send?.(`wiped, ${kept.length + texts.length + buffers.length} kept`)
})
process.send?.('held')
