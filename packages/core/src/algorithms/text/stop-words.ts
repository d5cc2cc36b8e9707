/**
 * Stop words: the most frequent words of a language, such as articles, pronouns and prepositions. They say nothing about the subject of a
 * text. A list is used only if the texts are in its language.
 */
import { wordsOf } from "./grams.js";

/** The stop words by language, without words that can be the subject of a text. The lists are normalised like the words of texts. */
const LISTS: Readonly<Record<string, string>> = {
  English: `the of and to in a is it that for was on are with as be at by this have from or had not but what all were we when your
    can there an which their if do will each about how up out them then she he his her has would so these its him into my than been
    who did just me am our you they i no after don doesn didn isn wasn ve ll re does also because while very`,
  German: `der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach
    wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde wenn
    ihr ich wir mein meine nach kein keine habe eines diese dieser sehr`,
  French: `de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la ou avec son aux d cette
    mais on comme nous sa si leur elle deux ces y l être fait été tout vous je mon ma mes n s c j qu très sans ils lui`,
  Spanish: `de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya
    entre cuando todo esta ser son también fue había muy hasta desde mi porque qué nos yo he ni ese está han`,
  Italian: `di e il la che in a un per è una del non si da i le con dei gli al della sono più nel anche alla come ma se lo ha o delle
    mi ho questo questa su ci dal ed l suo sua era tra nella molto degli essere quando io dopo cui loro c`,
  Portuguese: `de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser
    quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos meu minha`,
  Dutch: `de en van ik te dat die in een hij het niet zijn is was op aan met als voor had er maar om hem dan zou of wat mijn men dit zo
    door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben deze want nog zal me zij nu ge geen omdat
    iets worden werd wordt`,
  Polish: `w i na z do się nie to jest o że a jak po co tak za od ale dla już są przez przy jego przed być był było była tym tego
    te ten ta ich czy tylko lub oraz może bardzo jej pod go mnie ma mam ze mi jako który która które`,
  Turkish: `ve bir bu da de için ile çok ne o daha gibi olan en ama olarak var kadar sonra ki mi mı her ben sen biz siz onlar değil
    şey ya veya hem ise göre yok diye bana beni benim onun olduğu oldu`,
  Russian: `и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой от так о для ты же все как мне его
    ее их только или бы до было был была были при очень уже чтобы мой меня если когда нет еще во со`,
};

/**
 * A language is used if its list covers at least LEAST_SHARE of all words, with at least LEAST_DIFFERENT different words. Words in the
 * lists of languages that are already used do not count.
 */
const LEAST_SHARE = 0.06;
const LEAST_DIFFERENT = 4;

let normalised: readonly (readonly string[])[] | undefined;

function lists(): readonly (readonly string[])[] {
  normalised ??= Object.values(LISTS).map((list) => [...new Set(list.split(/\s+/).flatMap((word) => wordsOf(word)))]);
  return normalised;
}

/**
 * Returns the numbers of the stop words in the languages of the texts.
 *
 * Languages are found greedily. The language whose list covers the most words comes first. After that, only words count that earlier lists
 * do not contain. So English texts do not seem Dutch, although both lists have "in", "is" and "was".
 *
 * - numberOf: the number of each word
 * - counts: how often each word occurs, by number
 * - total: number of words in the texts
 */
export function stopWordsIn(numberOf: ReadonlyMap<string, number>, counts: ArrayLike<number>, total: number): Set<number> {
  const found = new Set<number>();
  const left = lists().map((list) => list.flatMap((word) => numberOf.get(word) ?? []));
  for (;;) {
    let best: readonly number[] = [];
    let most = 0;
    for (const numbers of left) {
      const open = numbers.filter((number) => !found.has(number));
      const covered = open.reduce((sum, number) => sum + counts[number]!, 0);
      if (open.length >= LEAST_DIFFERENT && covered > most) [best, most] = [open, covered];
    }
    if (most === 0 || most < LEAST_SHARE * total) return found;
    for (const number of best) found.add(number);
  }
}
