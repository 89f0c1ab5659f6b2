// Loaded by every Node program that `coffer run --as-hosted` starts, before its own code. COFFER_AS_HOSTED maps names,
// such as `api.basistheory.com:443`, to the port of Coffer's front on this machine. A connection to such a name goes to
// that port. Everything else about the connection stays as it is: the program still checks the certificate for the name.
// Plain JavaScript for Node 18 and newer, because the program chooses its Node.
'use strict'

const text = process.env.COFFER_AS_HOSTED
if (text) redirectConnections(new Map(Object.entries(JSON.parse(text))))

function redirectConnections(ports) {
  const { Socket } = require('node:net')
  const { connect } = Socket.prototype
  const findPort = (host, port) =>
    typeof host === 'string' ? ports.get(`${host.toLowerCase().replace(/\.$/, '')}:${port}`) : undefined
  const redirectOptions = (options) => {
    const port = findPort(options.host, options.port)
    return port === undefined ? options : { ...options, host: '127.0.0.1', port, lookup: undefined }
  }
  Socket.prototype.connect = function (...args) {
    const [first, host] = args
    // Node itself passes an array of options and callback, which only it can make.
    if (Array.isArray(first)) first[0] = redirectOptions(first[0])
    else if (typeof first === 'object' && first !== null) args[0] = redirectOptions(first)
    else {
      const port = findPort(host, first)
      if (port !== undefined) args.splice(0, 2, port, '127.0.0.1')
    }
    return connect.apply(this, args)
  }
}
