import { formatAddCommand, type MissingPackage } from '../../../shared/missing-packages.ts'
import { Code } from '../../ui/text/code.tsx'
import { strings } from './strings.ts'

const t = strings.runtime

/** Lists packages that are not installed in their versions, with the command that adds them (rule F-03). */
export function MissingPackages({ packages }: { packages: readonly MissingPackage[] }) {
  return (
    <div>
      <ul className="bullets" aria-label={t.missing}>
        {packages.map(({ name, version, installed }) => (
          <li key={name}>
            <span className="mono">{name}</span> {version}: {t.describeMissing(installed)}
          </li>
        ))}
      </ul>
      <p className="help">{t.addThem}</p>
      <Code text={formatAddCommand(packages)} what={t.command} wrap />
    </div>
  )
}
