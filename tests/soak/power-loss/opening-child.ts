// The program whose writes are recorded while it opens what a power cut left, and closes it.
import type { OpeningOrder } from './marks.ts'
import { openImage } from './open-image.ts'

const { dataDir, passphrases } = JSON.parse(process.argv[2] ?? '{}') as OpeningOrder
const vault = await openImage(dataDir, passphrases)
vault.lock()
