import { destinations } from '../destinations.ts'
import { isHost, isHostToAllow, isOrigin } from '../origins.ts'
import { gridLayouts } from '../schemas/grid-layout.ts'
import { z } from '../zod.ts'

/** The languages of the window's code: programs that call the listener, and the terminal. */
export const snippetLanguages = [
  'curl',
  'node',
  'node-sdk',
  'python',
  'go',
  'java',
  'php',
  'ruby',
  'csharp',
] as const
export type SnippetLanguage = (typeof snippetLanguages)[number]

/** Every setting with its default and its title, which the message that confirms a change contains. */
const settingsShape = {
  port: z.int().min(0).max(65535).default(4747).meta({ title: 'port' }),
  /** Origins of web pages that may call the listener. */
  origins: z
    .array(
      z.string().max(300).refine(isOrigin, 'must be scheme, host and port, such as http://localhost:3000'),
    )
    .max(100)
    .default([])
    .meta({ title: 'allowed web origins' }),
  /** Additional `Host` values the listener accepts. */
  hosts: z
    .array(z.string().refine(isHost, 'must be a host name, with or without a port'))
    .max(100)
    .default([])
    .meta({ title: 'additional host names' }),
  /** Whether requests with unknown members or parameters are rejected, rather than the members ignored (rule A-08). */
  strict: z.boolean().default(false).meta({ title: 'strict checking of requests' }),
  /** Whether the names of the hosted service are answered while the listener is on and a vault is open (rule H-01). */
  as_hosted: z.boolean().default(false).meta({ title: 'answering as the hosted service' }),
  /** Where calls from proxies and webhooks may go beyond this machine (rules G-02, G-03). */
  destinations: destinations.prefault({}).meta({ title: 'destinations' }),
  /** Whether reactors and code transforms, which are programs with network access, may run (rule F-02). */
  reactors: z.boolean().default(false).meta({ title: 'running code' }),
  /** Open the listener as soon as the vault is open. */
  listen_on_unlock: z.boolean().default(false).meta({ title: 'starting the listener' }),
  /**
   * Lock after this many minutes (wall clock) without a request from the owner or an application; 0 means never. An
   * in-memory vault is never locked automatically, because locking would destroy it.
   */
  auto_lock_minutes: z.int().min(0).max(1440).default(15).meta({ title: 'automatic locking' }),
  appearance: z.enum(['system', 'light', 'dark']).default('system').meta({ title: 'appearance' }),
  language: z.enum(snippetLanguages).default('curl').meta({ title: 'language of code' }),
  /** Back up the open vault once a day into `backups` in the data folder, and keep this many of these backups. */
  backup_daily: z.boolean().default(true).meta({ title: 'daily backups' }),
  backups_kept: z.int().min(1).max(365).default(7).meta({ title: 'number of daily backups' }),
  /** The ids of the tenants for which the owner has hidden the first steps. */
  first_steps_hidden: z.array(z.uuid()).max(100).default([]).meta({ title: 'first steps' }),
  /** The column layouts of the window's lists: which columns are visible, their order and their widths. */
  grids: gridLayouts.prefault({}).meta({ title: 'columns of the lists' }),
}

/** The owner's settings for this machine, changed in the window or with the CLI. They are stored next to the vaults. */
export const hostSettings = z.strictObject(settingsShape)
export type HostSettings = z.output<typeof hostSettings>

/** A change of settings. It has no defaults, so that absent members stay unchanged. */
export const hostSettingsPatch = z
  .strictObject({
    ...removeDefaults(settingsShape),
    // Stricter than the stored settings: earlier versions accepted any port.
    hosts: z
      .array(z.string().refine(isHostToAllow, 'must be a host name, with or without a port from 1 to 65535'))
      .max(100),
  })
  .partial()

type WithoutDefaults<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner>
    ? Inner
    : never
}

function removeDefaults<Shape extends Readonly<Record<string, z.ZodDefault | z.ZodPrefault>>>(
  shape: Shape,
): WithoutDefaults<Shape> {
  const entries = Object.entries(shape).map(([name, setting]) => [name, setting.unwrap()])
  return Object.fromEntries(entries) as WithoutDefaults<Shape>
}
