import { capitalize } from '../../../base/text/capitalize.js'
import type { Faker } from '@faker-js/faker'
import { faker as english } from '@faker-js/faker/locale/en'

type FakerClass = new (options: {
  locale: Faker['rawDefinitions']
  randomizer: { next: () => number; seed: () => void }
}) => Faker

/** Invents sentences. Each answer passes its own source of randomness. */
export class Sentences {
  #next: () => number = () => 0
  /** Our own instance, because the whole process shares the instance of the library and its seed. */
  readonly #faker = new (english.constructor as FakerClass)({
    locale: english.rawDefinitions,
    randomizer: { next: () => this.#next(), seed: () => {} },
  })

  /** Returns one to three sentences. `next` returns random numbers in [0, 1). */
  invent(next: () => number): string {
    return this.phrases(1 + Math.floor(next() * 3), next)
  }

  /** Returns that number of sentences. `next` returns random numbers in [0, 1). */
  phrases(count: number, next: () => number): string {
    this.#next = next
    return Array.from({ length: count }, () => capitalize(this.#faker.hacker.phrase())).join(' ')
  }
}
