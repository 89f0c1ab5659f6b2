import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The projects in the order in which they run, the one with the quickest files last. They do not alternate, because a
 * process serves only one project and would be restarted for each.
 */
const projects = ['whole', 'window', 'alone', 'quick']
/** The slowest files of each project, as beginnings of paths in this folder. */
const longest = [
  'guides',
  'soak/crash-rounds',
  'desktop',
  'testing',
  'cli',
  'host',
  'e2e/accessibility',
  'e2e/documents',
  'e2e/many',
  'e2e/window',
  'e2e/webhooks',
  'e2e/journeys',
  'http/conformance',
  'code-runner/attacks',
  'http/nobody-waits',
  'http/reactors',
  'http/bad-input',
]

/** Runs the projects one after another, and the slowest files of each first, even without timings of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const file = path.relative(import.meta.dirname, moduleId).replaceAll(path.sep, '/')
      const found = longest.findIndex((each) => file.startsWith(each))
      return projects.indexOf(project.name) * 100 + (found < 0 ? longest.length : found)
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
