import fs from 'node:fs'
import path from 'node:path'
import { hasSucceeded } from '../../http/clients/matrix/command.ts'
import { describeMissingPythonWith, findPythonWith } from '../../http/clients/python.ts'
import { copyPrograms, findFolder, runTool, runToolOnce } from './download.ts'
import type { HostedRuntime, OutsideResult } from './hosted-runtime.ts'
import { nodeRuntimes } from './node-runtimes.ts'

const pythonPackages = [
  ...['requests==2.34.2', 'httpx==0.28.1', 'urllib3==2.8.0', 'aiohttp==3.14.5'],
  ...['BasisTheoryClient==7.4.0', 'basistheory==3.0.0'],
]
const python = findPythonWith(pythonPackages)
const pythonPrograms: readonly (readonly [title: string, file: string, outside: OutsideResult])[] = [
  ['urllib.request', 'call_urllib.py', 'explained'],
  ['requests 2.34.2', 'call_requests.py', 'explained'],
  ['httpx 0.28.1', 'call_httpx.py', 'explained'],
  ['urllib3 2.8.0', 'call_urllib3.py', 'called'],
  ['aiohttp 3.14.5', 'call_aiohttp.py', 'called'],
  ['aiohttp 3.14.5, trust_env=True', 'call_aiohttp_trust_env.py', 'explained'],
  ['BasisTheoryClient 7.4.0', 'basis_theory_sdk.py', 'explained'],
  ['basistheory 3.0.0', 'basistheory_sdk.py', 'called'],
]

const javaPrograms: readonly (readonly [title: string, name: string, outside: OutsideResult])[] = [
  ['HttpClient', 'CallHttpClient', 'refused'],
  ['HttpURLConnection', 'CallUrlConnection', 'explained'],
  ['OkHttp 4.12.0', 'CallOkHttp', 'refused'],
  ['Apache HttpClient 5.5, createSystem', 'CallApacheSystem', 'refused'],
  ['Apache HttpClient 5.5, createDefault', 'CallApache', 'called'],
]

function createJava(version: string): HostedRuntime {
  const folder = findFolder('java')
  const jvms = '/usr/lib/jvm'
  const names = fs.existsSync(jvms) ? fs.readdirSync(jvms) : []
  const name = names.find((each) => each.includes(`-${version}-`))
  const findTool = (program: string) => path.join(jvms, name ?? '', 'bin', program)
  return {
    title: `Java ${version}`,
    version: [findTool('java'), '-version'],
    folder,
    programs: javaPrograms.map(([title, main, outside]) => ({
      title,
      command: [findTool('java'), '-cp', `lib/*:classes-${version}`, main],
      outside,
      ...(main === 'CallApache' && { fails: 'ignores the properties of a proxy' }),
    })),
    async describeMissing() {
      if (name === undefined || !fs.existsSync(findTool('javac'))) return `there is no JDK ${version}`
      copyPrograms('java')
      const copy = ['-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib']
      if (!(await runToolOnce(folder, 'mvn', ...copy)))
        return 'there is no Maven, or Maven Central cannot be reached, or answers slowly'
      const sources = javaPrograms.map(([, main]) => `${main}.java`)
      const isBuilt = await runTool(
        folder,
        findTool('javac'),
        '-cp',
        'lib/*',
        '-d',
        `classes-${version}`,
        ...sources,
      )
      return isBuilt ? null : 'javac fails'
    },
  }
}

/** A program of the machine, which needs no packages. */
function createInstalled(
  program: string,
  source: string,
  programs: HostedRuntime['programs'],
): HostedRuntime {
  return {
    title: program,
    version: [program, '--version'],
    folder: findFolder(source),
    programs,
    async describeMissing() {
      copyPrograms(source)
      return (await hasSucceeded(program, ['--version'])) ? null : `there is no ${program}`
    },
  }
}

const rustBinaries = path.join(findFolder('rust'), 'target', 'debug')

/** The runtimes and clients that are tried, in the order of the table. */
export const runtimes: readonly HostedRuntime[] = [
  ...nodeRuntimes,
  {
    title: 'Python',
    version: [python, '--version'],
    folder: findFolder('python'),
    programs: pythonPrograms.map(([title, file, outside]) => ({
      title,
      command: [python, '-B', file],
      outside,
    })),
    describeMissing() {
      copyPrograms('python')
      return describeMissingPythonWith(pythonPackages)
    },
  },
  {
    title: 'Go',
    version: ['go', 'version'],
    folder: findFolder('go'),
    programs: [{ title: 'net/http, static', command: ['./program'], outside: 'explained' }],
    async describeMissing() {
      const isBuilt = await runTool(copyPrograms('go'), 'go', 'build', '-o', 'program', '.')
      return isBuilt ? null : 'there is no Go'
    },
  },
  createJava('17'),
  createJava('25'),
  {
    title: 'Rust',
    version: ['rustc', '--version'],
    folder: findFolder('rust'),
    programs: [
      {
        title: 'reqwest 0.13.5, rustls',
        command: [path.join(rustBinaries, 'reqwest')],
        outside: 'refused',
      },
      {
        title: 'reqwest 0.12.24, native-tls',
        command: [path.join(rustBinaries, 'reqwest-native-tls')],
        outside: 'refused',
      },
      {
        title: 'ureq 3.5.2',
        command: [path.join(rustBinaries, 'ureq')],
        outside: 'refused',
        fails: 'trusts the certificates that it contains, and no others',
      },
    ],
    async describeMissing() {
      const isBuilt = await runTool(copyPrograms('rust'), 'cargo', 'build', '--quiet')
      return isBuilt ? null : 'there is no Rust, or crates.io cannot be reached, or answers slowly'
    },
  },
  createInstalled('curl', 'shell', [{ title: 'curl', command: ['sh', 'curl.sh'], outside: 'refused' }]),
  createInstalled('wget', 'shell', [
    {
      title: 'wget',
      command: ['sh', 'wget.sh'],
      outside: 'explained',
      fails: 'GnuTLS ignores SSL_CERT_FILE; wget needs `--ca-certificate=$SSL_CERT_FILE`',
    },
  ]),
  createInstalled('php', 'php', [
    {
      title: 'curl',
      command: ['php', 'curl.php'],
      outside: 'refused',
    },
    {
      title: 'streams',
      command: ['php', 'stream.php'],
      outside: 'called',
      fails: 'ignore HTTPS_PROXY',
    },
  ]),
  createInstalled('ruby', 'ruby', [
    {
      title: 'Net::HTTP',
      command: ['ruby', 'net_http.rb'],
      outside: 'called',
      fails: 'reads only `http_proxy`: set it to the value of HTTPS_PROXY',
    },
  ]),
  createInstalled('terraform', 'terraform', [
    { title: 'backend `http`', command: ['sh', 'init.sh'], outside: 'explained', isApplication: true },
  ]),
]
