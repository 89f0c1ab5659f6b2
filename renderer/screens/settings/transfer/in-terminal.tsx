import { Code } from '../../../ui/text/code.tsx'
import { type Choice, mappingOf } from './columns.ts'
import { strings } from './strings.ts'

const t = strings.import

/** The same import as a command, with its mapping file. */
export function InTerminal({ name, choice }: { name: string; choice: Choice | null }) {
  const map = `${name.replace(/\.[^.]+$/, '')}.map.json`
  const quoted = (text: string) => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
  const command = `coffer import ${quoted(name)}${choice ? ` --map ${quoted(map)}` : ''}`
  return (
    <div className="in-terminal">
      <Code text={command} what={t.command} />
      {choice && (
        <>
          <span className="faint">{t.mapFile(map)}</span>
          <Code text={JSON.stringify(mappingOf(choice), null, 2)} what={t.mapping} />
        </>
      )}
    </div>
  )
}
