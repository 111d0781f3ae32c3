import type { Faker } from '@faker-js/faker'
import type { SeededRandom } from './random.js'

/**
 * Returns a faker for what a test does not name. Each purpose has its own faker, so that the same thing is
 * always invented in the same way. The library is loaded on first use, with one language: all of them
 * take a quarter of a second.
 */
export async function fakerFor(
  random: SeededRandom,
  ...purpose: (string | number)[]
): Promise<Faker> {
  const { faker } = await import('@faker-js/faker/locale/en')
  const OwnFaker = faker.constructor as typeof Faker
  return new OwnFaker({
    locale: faker.rawDefinitions,
    seed: random.hash('arranged', ...purpose)[0],
  })
}
