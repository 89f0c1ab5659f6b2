// Forwards port 4747 on every network interface of a container to Coffer, which listens on the container's loopback.
import net from 'node:net'

const server = net.createServer({ allowHalfOpen: true }, (caller) => {
  const coffer = net.connect({ host: '127.0.0.1', port: 4748, allowHalfOpen: true })
  caller.pipe(coffer).pipe(caller)
  // If either side fails, for example because Coffer does not listen yet, close both.
  caller.on('error', () => coffer.destroy())
  coffer.on('error', () => caller.destroy())
})
server.listen(4747)
