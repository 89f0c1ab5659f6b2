import { asHostedDetails } from '../../../shared/host/as-hosted.ts'
import { listenerState } from '../../../shared/host/status.ts'
import { faultReport, faultRules } from '../../../shared/schemas/fault.ts'
import { z } from '../../../shared/zod.ts'
import { openApi } from '../../http/openapi.ts'
import { cancelRequest, listenerRequest, listenerResponse, sendRequest } from '../send-request.ts'
import { defineAction, defineCommand } from './command.ts'

export const listenerCommands = {
  /** Opens the listener. A failure to open is returned as a state. */
  listenerOn: defineCommand({
    input: z.strictObject({ port: z.int().min(0).max(65535).optional() }),
    output: listenerState,
    handler: (host, { port }) => host.startListener(port),
  }),
  listenerOff: defineCommand({ output: listenerState, handler: (host) => host.listener.turnOff() }),
  /** How programs find the names of the hosted service, and what has come to them (rule H-06). */
  asHosted: defineCommand({ output: asHostedDetails, handler: (host) => host.asHosted.getDetails() }),
  /** The OpenAPI document of a strict listener, by which the window names unknown members before they are ignored. */
  openApi: defineCommand({
    output: z.record(z.string(), z.unknown()),
    handler(host) {
      const { state } = host.listener
      const url = state.state === 'on' ? state.url : `http://127.0.0.1:${host.settings.current.port}`
      return openApi(url, { strict: true })
    },
  }),
  /** Sends a request to the open listener, to show the owner what a program would receive. */
  request: defineCommand({
    input: listenerRequest,
    output: listenerResponse,
    handler: (host, input) => sendRequest(host.listener.state, input),
  }),
  /** Closes the connection of a request that waits for its response, as a program would. `request` then rejects. */
  cancelRequest: defineAction({
    input: z.strictObject({ trace_id: z.string().max(1000) }),
    handler: (_host, { trace_id }) => cancelRequest(trace_id),
  }),
  /** The faults that affect callers of the listener, and how many calls each has hit. */
  faults: defineCommand({ output: faultReport, handler: (host) => host.faults.getReport() }),
  setFaults: defineCommand({
    input: faultRules,
    output: faultReport,
    handler({ faults }, { rules }) {
      faults.setRules(rules)
      return faults.getReport()
    },
  }),
}
