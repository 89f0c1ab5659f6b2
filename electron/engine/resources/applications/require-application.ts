import { defineLookup } from '../crud.ts'
import { findApplication } from './store.ts'

/** Finds an application by id, unless it has expired (rule K-03). */
export const storedApplications = defineLookup('application', findApplication)
