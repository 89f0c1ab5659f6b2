// Packs for Linux like `npm run dist`, but stops before electron-builder downloads the tools that build installers.
import fs from 'node:fs'
import path from 'node:path'
import { build, Platform } from 'electron-builder'

const [, , electronDist = '', output = ''] = process.argv
const created: unknown[] = []
await build({
  projectDir: path.join(import.meta.dirname, '..', '..'),
  targets: Platform.LINUX.createTarget(['AppImage', 'deb']),
  effectiveOptionComputed: async (options) => {
    created.push(options)
    return true
  },
  config: { electronDist, directories: { output } },
})
fs.writeFileSync(path.join(output, 'made.json'), JSON.stringify(created))
