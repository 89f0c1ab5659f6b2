import { Stack } from '@mantine/core'
import { Code } from '../../../ui/text/code.tsx'
import { type Choice, toImportMapping } from './columns.ts'
import { strings } from './strings.ts'

const t = strings.import

/** The import as a terminal command, with its mapping file. */
export function InTerminal({ name, choice }: { name: string; choice: Choice | null }) {
  const map = `${name.replace(/\.[^.]+$/, '')}.map.json`
  const quoteArgument = (text: string) =>
    /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
  const command = `coffer import ${quoteArgument(name)}${choice ? ` --map ${quoteArgument(map)}` : ''}`
  return (
    <Stack gap={6} fz={12}>
      <Code text={command} what={t.command} />
      {choice && (
        <>
          <span className="faint">{t.mapFile(map)}</span>
          <Code text={JSON.stringify(toImportMapping(choice), null, 2)} what={t.mapping} />
        </>
      )}
    </Stack>
  )
}
