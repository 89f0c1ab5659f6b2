// Forwards ports on every network interface of a container to Coffer, which listens on the container's loopback.
import net from 'node:net'

function forwardPort(port, own) {
  const server = net.createServer({ allowHalfOpen: true }, (caller) => {
    const coffer = net.connect({ host: '127.0.0.1', port: own, allowHalfOpen: true })
    caller.pipe(coffer).pipe(caller)
    // If either side fails, for example because Coffer does not listen yet, close both.
    caller.on('error', () => coffer.destroy())
    coffer.on('error', () => caller.destroy())
  })
  server.listen(port)
}

forwardPort(4747, 4748)
// The port of the names of the hosted service.
if (process.argv.includes('--as-hosted')) forwardPort(443, 4749)
