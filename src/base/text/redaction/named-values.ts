import { readingsOf } from './readings.js'
import { secretFieldValues, type FieldValue } from './secret-fields.js'
import { secretParameters, usersOfUrls } from './secret-parameters.js'
import { SHORTEST_ANYWHERE } from './secret-spellings.js'

/**
 * Finds values by their names: fields of JSON, parameters of queries, parts of forms, and headers in pairs; and users
 * and passwords of URLs. The text need not be valid. No part of it is read again for each name, so the time is linear.
 *
 * @param isCut Whether the end of the text is missing.
 */
export function namedValuesIn(text: string, isCut = false): FieldValue[] {
  const elsewhere = [...secretParameters(text), ...usersOfUrls(text, isCut)]
  return [...elsewhere.map((range) => ({ range })), ...secretFieldValues(text)]
}

/**
 * The values of secret fields in a text, also in JSON inside of JSON. Without short ones: elsewhere, such a value may be
 * an ordinary word.
 */
export function secretFieldsIn(text: string): string[] {
  const values = readingsOf(text).flatMap(({ text: reading }) => {
    return namedValuesIn(reading).map(({ range }) => reading.slice(...range))
  })
  return [...new Set(values)].filter(({ length }) => length >= SHORTEST_ANYWHERE)
}
