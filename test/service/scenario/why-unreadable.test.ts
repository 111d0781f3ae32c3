import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { whyUnreadable } from '../../../src/service/scenario/why-unreadable.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

it.each(['price.yaml', 'price.yaml/', './price.yaml'])(
  'suggests the nearest file in the place of %s, as it was written',
  (written) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'prices.yaml'), '')
    const path = `${folder}/${written}`
    const error = Object.assign(new Error('none'), { code: 'ENOENT' })
    const place = `${folder}/${written.startsWith('./') ? './' : ''}`
    expect(whyUnreadable(path, error)).toContain(`Did you mean ${place}prices.yaml?`)
  },
)
