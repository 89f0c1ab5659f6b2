import { reactorTestResult, syntaxProblem, tryReactor } from '../../../shared/schemas/reactor.ts'
import { z } from '../../../shared/zod.ts'
import { forkIsolated } from '../../code-runner/fork.ts'
import { describeIsolation } from '../../code-runner/isolation/find-isolation.ts'
import { readPackages } from '../../code-runner/packages.ts'
import { requireUnlocked } from '../../engine/index.ts'
import { getPackagesFolder } from '../files/packages-folder.ts'
import { listenerRequest } from '../send-request.ts'
import { defineAction, defineCommand } from './command.ts'

export const codeCommands = {
  /**
   * Runs code from the window, as the owner. Throws `forbidden` while reactors are off, `conflict` if the code has an
   * application and the listener is off, and `invalid` if the args are not valid. Errors of the code itself are in the
   * result.
   */
  tryReactor: defineCommand({
    input: tryReactor,
    output: reactorTestResult,
    handler: (host, input) => host.reactors.testReactor(requireUnlocked(host.getEngine()), input),
  }),
  /** Ends the run that `tryReactor` started. */
  stopReactor: defineAction({ handler: (host) => host.reactors.stopTest() }),
  /**
   * Calls a proxy as a program with this key would, also while the listener is off, and returns the status that the
   * program would get, without the listener's faults and limits, and why the proxy itself rejected the call, if it did.
   * Without `proxy_key`, calls the echo.
   */
  tryProxy: defineCommand({
    input: z.strictObject({
      proxy_key: z.string().max(1000).nullable(),
      method: listenerRequest.shape.method,
      path: z
        .string()
        .max(8000)
        .regex(/^(?:[/?]|$)/),
      key: z.string().max(1000),
      body: listenerRequest.shape.body,
    }),
    output: z.object({ status: z.int(), trace_id: z.string(), rejection: z.string().nullable() }),
    handler: (host, input) => host.proxies.testProxy(requireUnlocked(host.getEngine()), input),
  }),
  /**
   * Compiles code in a separate process without running it, also while reactors are off (rule F-01). Returns the syntax
   * problem, or null. Throws `unavailable` if no process could check the code.
   */
  checkCode: defineCommand({
    input: z.strictObject({ code: z.string().max(200_000) }),
    output: z.object({ problem: syntaxProblem.nullable() }),
    handler: async (host, { code }) => ({ problem: await host.reactors.checkSyntax(code) }),
  }),
  /** What keeps code apart from this machine, in sentences, as it was tried here (rule F-02); null without a Node. */
  codeIsolation: defineCommand({
    output: z.object({ text: z.string().nullable() }),
    handler: async (host) => {
      const { isolation } = await (host.options.fork ?? forkIsolated)()
      return { text: isolation ? describeIsolation(isolation) : null }
    },
  }),
  /**
   * The packages that the owner has installed for code to require, with their versions (rule F-03). Throws `invalid` if
   * they cannot be read.
   */
  reactorPackages: defineCommand({
    output: z.object({ packages: z.array(z.object({ name: z.string(), version: z.string() })) }),
    handler: (host) => ({ packages: readPackages(getPackagesFolder(host.options.dataDir)) }),
  }),
}
