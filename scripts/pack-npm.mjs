// `npm run dist:npm`: writes the package for the npm registry to dist/. It contains the builds and the database driver,
// and depends only on the other packages with native binaries. Its name is that of package.json.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { root } from './install.mjs'
import { bundles, noticesOf, packageAt, packagesOf } from './third-party-notices.mjs'

/** Members of package.json that the published package keeps. */
const kept = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'author',
  'homepage',
  'repository',
  'bugs',
  'type',
  'bin',
  'exports',
  'typesVersions',
]

const driver = path.join(root, 'node_modules', 'better-sqlite3')

/**
 * Copies the database driver, with its prebuilt binaries, next to the bundles that import it. As a dependency, the
 * driver would add 14 MB of sources and a binding.gyp, which Yarn 1 compiles and other package managers ask about.
 */
function bringDriver(out) {
  const folder = path.join(out, 'better-sqlite3')
  for (const part of ['lib', 'prebuilds', 'LICENSE'])
    fs.cpSync(path.join(driver, part), path.join(folder, part), { recursive: true })
  const { name, version, license, main } = JSON.parse(
    fs.readFileSync(path.join(driver, 'package.json'), 'utf8'),
  )
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ name, version, license, main })}\n`)
  const cli = path.join(out, 'cli')
  for (const file of fs.readdirSync(cli).map((name) => path.join(cli, name))) {
    const source = fs.readFileSync(file, 'utf8')
    const beside = source.replace(/^(import .* from )"better-sqlite3";$/gm, `$1"../better-sqlite3/${main}";`)
    if (beside !== source) fs.writeFileSync(file, beside)
  }
}

/** Builds what is out of date and writes the package into a folder. Returns its path. */
export function packNpm(folder = path.join(root, 'dist')) {
  build()
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  fs.mkdirSync(folder, { recursive: true })
  const stage = fs.mkdtempSync(path.join(folder, '.npm-'))
  try {
    const files = filesOf()
    for (const file of files) {
      fs.mkdirSync(path.dirname(path.join(stage, file)), { recursive: true })
      fs.copyFileSync(path.join(root, file), path.join(stage, file))
    }
    for (const file of files.filter((each) => each.endsWith('.md'))) {
      const guide = path.join(stage, file)
      fs.writeFileSync(guide, withoutDeadLinks(fs.readFileSync(guide, 'utf8'), path.dirname(guide)))
    }
    fs.writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`)
    bringDriver(path.join(stage, 'out'))
    fs.writeFileSync(
      path.join(stage, 'THIRD-PARTY-NOTICES.txt'),
      noticesOf([...packagesOf(bundles.npm), packageAt(driver)]),
    )
    const [{ filename }] = npm(['pack', '--pack-destination', folder], stage)
    return path.join(folder, filename)
  } finally {
    fs.rmSync(stage, { recursive: true })
  }
}

/** Prepares a guide for the package: links and pictures whose file stays in the repository keep only their text. */
function withoutDeadLinks(text, folder) {
  const isDead = (link) =>
    !/^(\w+:|#)/.test(link) && !fs.existsSync(path.join(folder, link.replace(/#.*$/, '')))
  return text
    .replace(/^\[!\[[^\]]*\]\(([^)\s]+)\)\]\([^)\s]+\)\n+/gm, (whole, image) => (isDead(image) ? '' : whole))
    .replace(/<picture>[\s\S]*?<\/picture>/g, (whole) => {
      const [, image, words] = /<img src="([^"]+)" alt="([^"]*)"/.exec(whole) ?? []
      return isDead(image) ? `*${words}*` : whole
    })
    .replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, words, link) => (isDead(link) ? words : whole))
}

/**
 * Returns the manifest of the published package, without scripts, the Node dependency and packages that are in the
 * bundles.
 */
function published(manifest) {
  const members = kept.filter((name) => name in manifest).map((name) => [name, manifest[name]])
  const imported = importsOf(path.join(root, 'out', 'cli'))
  const needed = Object.entries(manifest.dependencies).filter(([name]) => imported.has(name))
  return {
    ...Object.fromEntries(members),
    engines: { node: '^22.14.0 || >=23.7.0' },
    dependencies: Object.fromEntries(needed.filter(([name]) => name !== path.basename(driver))),
    publishConfig: { access: 'public', provenance: true },
  }
}

/** Lists the packages that the files of a bundle import. */
function importsOf(folder) {
  const names = fs.readdirSync(folder).flatMap((file) => {
    const source = fs.readFileSync(path.join(folder, file), 'utf8')
    const found = source.matchAll(/^import (?:.* from )?"([^"]+)"/gm)
    return [...found].map(([, name]) => name)
  })
  return new Set(names)
}

/**
 * Lists the files that npm would pack, as paths in the checkout, except the entry of the desktop's bundle, which it
 * always packs.
 */
function filesOf() {
  const [{ files }] = npm(['pack', '--dry-run', '--ignore-scripts'], root)
  return files
    .map((each) => each.path)
    .filter((each) => each !== 'package.json' && !each.startsWith('out/main/'))
}

/** Runs npm and returns its JSON output. */
function npm(args, cwd) {
  const shell = process.platform === 'win32'
  const done = spawnSync('npm', [...args, '--json'], { cwd, shell, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`npm ${args[0]} failed: ${done.stderr}`)
  return Object.values(JSON.parse(done.stdout))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${path.relative(process.cwd(), packNpm())}\n`)
}
