import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { startAsHosted } from './start-as-hosted.ts'

/** Whether a program is on this machine. */
function hasProgram(...command: [string, ...string[]]): boolean {
  const [program, ...args] = command
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a shell script with the environment that leads to the hosted names, and returns what it prints. */
async function runShell(script: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = createTempFolder()
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), content)
  const { environment } = await startAsHosted()
  const { PATH, HOME } = process.env
  const child = spawn('sh', ['-c', script, 'sh', folder], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return `${printed}${errors}`.trimEnd()
}

const url = 'https://api.basistheory.com/_coffer/ready'
const outside = 'https://outside.example/'
const refused = /outside\.example is not an allowed destination/

describe.runIf(process.platform !== 'win32')('clients', () => {
  test.runIf(hasProgram('curl', '--version'))('H-03 curl', async () => {
    expect(await runShell(`curl -sS ${url}`)).toContain('ready')
    expect(await runShell(`curl -sSv ${outside} 2>&1`)).toMatch(refused)
  })

  test.runIf(hasProgram('python3', '-c', 'import ssl'))(
    'H-03 Python, with and without the proxy',
    async () => {
      const script = `
import http.client, ssl, urllib.request
print(urllib.request.urlopen('${url}').read())
# A client that ignores HTTPS_PROXY, as aiohttp does.
direct = http.client.HTTPSConnection('api.basistheory.com', context=ssl.create_default_context())
direct.request('GET', '/_coffer/ready')
print(direct.getresponse().read())
try:
    urllib.request.urlopen('${outside}')
except Exception as error:
    print(error)
`
      const printed = await runShell('python3 "$1/script.py"', { 'script.py': script })
      expect(printed.match(/ready/g)).toHaveLength(2)
      expect(printed).toMatch(refused)
    },
  )

  test.runIf(hasProgram('python3', '-c', 'import ssl'))(
    'H-03 a sitecustomize of the program still runs',
    async () => {
      const own = 'import sys; sys.stdout.write("own ran\\n"); sys.path.append("/added")'
      const command =
        'PYTHONPATH="$PYTHONPATH:$1" python3 -c "import sitecustomize, sys; print(sitecustomize.__file__, sys.path[-1])"'
      expect(await runShell(command, { 'sitecustomize.py': own })).toMatch(/^own ran\n.*\.py \/added$/)
    },
  )

  test.runIf(hasProgram('python3', '-c', 'import requests'))('H-03 Python requests', async () => {
    expect(await runShell(`python3 -c "import requests; print(requests.get('${url}').text)"`)).toContain(
      'ready',
    )
  })

  test.runIf(hasProgram('java', '-version'))('H-03 Java', async () => {
    const source = `import java.net.*; import java.net.http.*;
class Call {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("${url}")).build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    System.out.println(new String(new URL("${url}").openStream().readAllBytes()));
    try { new URL("${outside}").openStream(); } catch (Exception error) { System.out.println(error); }
  }
}`
    const printed = await runShell('java "$1/Call.java" 2>/dev/null', { 'Call.java': source })
    expect(printed.match(/ready/g)).toHaveLength(2)
    expect(printed).toMatch(refused)
  })

  test.runIf(hasProgram('openssl', 'version'))(
    'X-72 openssl trusts the authority of the run alone',
    async () => {
      const connectTrusting = (trust: string) =>
        runShell(
          `front=$(printenv COFFER_AS_HOSTED | sed 's/.*api.basistheory.com:443":\\([0-9]*\\).*/\\1/')
        openssl s_client -connect 127.0.0.1:$front -servername api.basistheory.com -verify_hostname api.basistheory.com \\
          -verify_return_error ${trust} </dev/null 2>&1 | grep -E "^ *Verify return code|verify error" | sort -u`,
        )
      expect(await connectTrusting('-CAfile "$NODE_EXTRA_CA_CERTS"')).toContain('Verify return code: 0 (ok)')
      // The system trusts nothing new.
      expect(await connectTrusting('-CAfile /etc/ssl/certs/ca-certificates.crt')).toContain('verify error')
    },
  )
})

test.each([process.execPath, '/usr/bin/node'].filter((node) => fs.existsSync(node)))(
  'H-03 workers, child processes and sockets of %s take the preload’s way',
  async (node) => {
    const script = `
import { execFileSync, spawn } from 'node:child_process'
import tls from 'node:tls'
import { Worker } from 'node:worker_threads'
const call = 'fetch("${url}").then((response) => console.log(response.status))'
console.log(execFileSync(process.execPath, ['-e', call]).toString().trim())
const worker = new Worker(call, { eval: true })
await new Promise((resolve) => worker.on('exit', resolve))
for (const start of [(done) => tls.connect(443, 'api.basistheory.com', done), (done) => tls.connect({ port: '443', host: 'API.basistheory.com.', servername: 'api.basistheory.com' }, done)]) {
  await new Promise((resolve, reject) => {
    const socket = start(() => { console.log('secure'); socket.destroy(); resolve() })
    socket.on('error', reject)
  })
}
`
    const printed = await runShell(`'${node}' "$1/script.mjs" 2>&1`, { 'script.mjs': script })
    expect(printed.split('\n')).toEqual(['200', '200', 'secure', 'secure'])
  },
)
