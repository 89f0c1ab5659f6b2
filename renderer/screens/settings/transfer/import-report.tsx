import { Box, Button, Group } from '@mantine/core'
import { expiringText } from '../../../../shared/expiring.ts'
import type { TextImportReport } from '../../../../shared/schemas/transfer.ts'
import { useLooking } from '../../../parts/access/looking.ts'
import { go } from '../../../parts/navigation/route.ts'
import { hrefOf } from '../../../parts/navigation/route-text.ts'
import { createdText } from '../../../parts/tokens/created-together.ts'
import { Caution } from '../../../ui/failure.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import { strings } from './strings.ts'

const t = strings.import
const SHOWN = 6

/** What an import did or would do, and the refused lines. */
export function ImportReport({ report, name }: { report: TextImportReport; name: string }) {
  const { dry_run, created, refused, lines, expiring, together } = report
  const { as } = useLooking()
  // A key lists no tokens by what created them.
  const shown = as === null ? together : null
  const count = created.toLocaleString('en')
  const left = refused - Math.min(lines.length, SHOWN)
  const save = () =>
    saveText(`${name}.refused.ndjson`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return (
    <div className="import-report" role="status">
      <strong>{dry_run ? t.wouldMake(count) : t.made(count)}</strong>{' '}
      <span className="dim">{refused === 0 ? t.noneRefused : t.refused(refused.toLocaleString('en'))}</span>
      {refused > 0 && (
        <ul className="refused-lines">
          {lines.slice(0, SHOWN).map(({ line, message }) => (
            <li key={line}>{t.line(line, message)}</li>
          ))}
          {left > 0 && <li className="faint">{t.more(left.toLocaleString('en'))}</li>}
        </ul>
      )}
      {expiring && (
        <Box mt="sm">
          <Caution>{expiringText(expiring)}</Caution>
        </Box>
      )}
      {(refused > 0 || !dry_run) && (
        <Group gap="xs" mt="sm">
          {!dry_run && created > 0 && (
            <Button onClick={() => go(hrefOf('tokens', null, shown ? { created: createdText(shown) } : {}))}>
              {shown ? t.show : t.showAll}
            </Button>
          )}
          {refused > 0 && (
            <Button variant="default" onClick={save}>
              {t.saveRefused}
            </Button>
          )}
        </Group>
      )}
    </div>
  )
}
