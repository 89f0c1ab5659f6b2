import { Fragment } from 'react'
import styles from './crumbs.module.css'

/** The scopes on a path, outermost first: `/pci/high/` gives `/pci/` and `/pci/high/`. */
function listScopes(path: string): { name: string; scope: string }[] {
  const names = path.split('/').filter((name) => name !== '')
  return names.map((name, index) => ({ name, scope: `/${names.slice(0, index + 1).join('/')}/` }))
}

type Props = {
  readonly path: string
  readonly label: (scope: string) => string
  readonly onPick: (scope: string) => void
}

/** A container path in which every segment can be selected. */
export function Crumbs({ path, label, onPick }: Props) {
  const scopes = listScopes(path)
  return (
    <span className={styles.root}>
      {scopes.length === 0 && '/'}
      {scopes.map(({ name, scope }) => (
        <Fragment key={scope}>
          /
          <wbr />
          {/* biome-ignore lint/a11y/useSemanticElements: rows of a list with buttons take a tenth longer to lay out */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: only the pointer reaches it; the filter has keys */}
          <span
            role="button"
            title={label(scope)}
            tabIndex={-1}
            onClick={(event) => {
              event.stopPropagation()
              onPick(scope)
            }}
          >
            {name}
          </span>
        </Fragment>
      ))}
      {scopes.length > 0 && '/'}
    </span>
  )
}
