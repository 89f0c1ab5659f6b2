// Writes the notices of the packed packages, and compiles native modules for Electron if they have no prebuilt binary
// for the target system. Called by electron-builder.
import fs from 'node:fs'
import path from 'node:path'
import { rebuild } from '@electron/rebuild'
import { Arch } from 'electron-builder'
import { bundles, noticesOf, packagesInstalledFor, packagesOf } from '../scripts/third-party-notices.mjs'

/** @param {import('./before-pack.d.mts').PackContext} context */
export default async function beforePack({ arch, electronPlatformName, packager }) {
  const { projectDir } = packager.info
  // The Node binaries that `npm ci` installs in a checkout are not packed.
  const installed = packagesInstalledFor(projectDir).filter(
    ({ folder }) => !/\/node-(linux|win)-/.test(folder),
  )
  fs.writeFileSync(
    path.join(projectDir, 'out', 'THIRD-PARTY-NOTICES.txt'),
    noticesOf([...packagesOf(bundles.desktop), ...installed]),
  )
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
