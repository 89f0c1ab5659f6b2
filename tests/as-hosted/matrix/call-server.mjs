// Starts a development server, calls its paths, and prints `answered 200` if each of them has received that from the
// service. Arguments: the paths, separated by commas, and the command of the server.
import { spawn } from 'node:child_process'

const [paths, command, ...args] = process.argv.slice(2)
const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
const url = await new Promise((resolve, reject) => {
  let printed = ''
  server.stdout.on('data', (chunk) => {
    printed += chunk
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the servers print in colour.
    const [found] = /http:\/\/localhost:\d+/.exec(printed.replace(/\x1b\[\d+m/g, '')) ?? []
    if (found) resolve(found)
  })
  server.on('exit', () => reject(new Error(printed)))
})
try {
  for (const path of paths.split(',')) {
    const response = await fetch(url + path)
    const text = await response.text()
    const [answer] = /answered \d+/.exec(text) ?? []
    if (answer !== 'answered 200') throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
  }
  console.log('answered 200')
} finally {
  process.kill(-server.pid, 'SIGKILL')
}
