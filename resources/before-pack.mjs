// Compiles for Electron what comes without a prebuilt binary for the system packaged for. Called by electron-builder.
import fs from 'node:fs'
import path from 'node:path'
import { rebuild } from '@electron/rebuild'
import { Arch } from 'electron-builder'

/** @param {import('./before-pack.d.mts').PackContext} context */
export default async function beforePack({ arch, electronPlatformName, packager }) {
  const { projectDir } = packager.info
  const prebuilds = path.join(projectDir, 'node_modules', 'better-sqlite3', 'prebuilds')
  const target = Arch[arch]
  if (fs.existsSync(path.join(prebuilds, `${electronPlatformName}-${target}.node`))) return
  await rebuild({
    buildPath: projectDir,
    electronVersion: packager.config.electronVersion ?? packager.info.framework.version,
    arch: target,
    onlyModules: ['better-sqlite3'],
    force: true,
  })
}
