"""Adjectives, adverbs, names, places, times and function words of the phrases grammar."""

# English comparative/superlative | German comparative (and attributive stem) | classes it can be said of.
ADJECTIVES = """
old older | alt älter | person animal building vehicle transport furniture clothing object text show area
young younger        | jung jünger                | person animal plant
small smaller | klein kleiner | kid animal building vehicle transport furniture object room area plant
big bigger | groß größer | animal building vehicle transport furniture object room area plant
new newer | neu neuer | building vehicle transport furniture clothing object text show
good better          | gut besser                 | job friend text show idea event music food drink
bad worse            | schlecht schlechter        | job show idea event music food
beautiful | schön schöner | person animal building vehicle transport clothing area room plant show music
ugly uglier          | hässlich hässlicher        | building vehicle transport clothing furniture animal show
expensive            | teuer teurer teur          | vehicle transport clothing furniture object drink building
cheap cheaper        | billig billiger            | vehicle transport clothing furniture object
red                  | rot                        | vehicle transport clothing furniture small plant opening
blue                 | blau                       | vehicle transport clothing furniture small opening
green                | grün                       | vehicle transport clothing furniture small opening
yellow               | gelb                       | vehicle transport clothing furniture small plant
black                | schwarz                    | vehicle transport clothing furniture small device pet
white                | weiß                       | vehicle transport clothing furniture small opening pet
long longer          | lang länger                | text event clothing
short shorter        | kurz kürzer                | text event clothing
heavy heavier        | schwer schwerer            | furniture container device
fast faster          | schnell schneller          | vehicle transport animal
slow slower          | langsam langsamer          | vehicle transport
strong stronger      | stark stärker              | person animal
weak weaker          | schwach schwächer          | person animal
rich richer          | reich reicher              | person
poor poorer          | arm ärmer                  | person
happy happier        | glücklich glücklicher      | person
sad sadder           | traurig trauriger          | person story music
tired                | müde - müd                 | person animal
ill                  | krank                      | person animal
healthy healthier    | gesund gesünder            | person animal
friendly friendlier  | freundlich freundlicher    | person animal
nice nicer           | nett netter                | person
clever cleverer      | klug klüger                | person animal idea
lazy lazier          | faul fauler                | person animal
hard-working         | fleißig fleißiger          | person
famous               | berühmt berühmter          | job building area story show
polite               | höflich höflicher          | person
brave braver         | mutig mutiger              | person
hungry hungrier      | hungrig hungriger          | person animal
thirsty              | durstig                    | person animal
curious              | neugierig neugieriger      | person animal
angry                | wütend                     | person
interesting          | interessant interessanter  | text show idea event area
boring               | langweilig langweiliger    | text show event
difficult            | schwierig schwieriger      | idea test lore text
easy easier          | einfach einfacher          | idea test lore text
important            | wichtig wichtiger          | idea mail event
loud louder          | laut lauter                | music animal vehicle transport
warm warmer          | warm wärmer                | clothing room dish drink
cold colder          | kalt kälter                | room dish drink
sweet sweeter        | süß süßer                  | fruit drink baked
fresh fresher        | frisch frischer            | food
clean cleaner        | sauber sauberer            | clothing room ware
dirty dirtier        | schmutzig schmutziger      | clothing room ware vehicle transport
empty                | leer                       | room container ware
modern               | modern moderner            | building device furniture
funny funnier        | lustig lustiger            | story show telling person
strange stranger     | seltsam seltsamer          | person idea story animal
broken               | kaputt                     | device vehicle transport ware furniture
quiet quieter        | ruhig ruhiger              | area room person
"""

NAMES = "Anna:f Peter:m Maria:f Paul:m Laura:f Martin:m Julia:f David:m Emma:f Simon:m Clara:f Robert:m"

TIMES_PRESENT = """
today            | heute
now              | jetzt
every day        | jeden Tag
every week       | jede Woche
every morning    | jeden Morgen
every evening    | jeden Abend
in the morning   | am Morgen
in the afternoon | am Nachmittag
in the evening   | am Abend
at night         | in der Nacht
at the weekend   | am Wochenende
in spring        | im Frühling
in summer        | im Sommer
in autumn        | im Herbst
in winter        | im Winter
on Monday        | am Montag
on Tuesday       | am Dienstag
on Wednesday     | am Mittwoch
on Thursday      | am Donnerstag
on Friday        | am Freitag
on Saturday      | am Samstag
on Sunday        | am Sonntag
"""
TIMES_FUTURE = """
tomorrow         | morgen
soon             | bald
later            | später
tonight          | heute Abend
next week        | nächste Woche
next month       | nächsten Monat
next year        | nächstes Jahr
next summer      | nächsten Sommer
on Monday        | am Montag
on Tuesday       | am Dienstag
on Wednesday     | am Mittwoch
on Thursday      | am Donnerstag
on Friday        | am Freitag
on Saturday      | am Samstag
on Sunday        | am Sonntag
in January       | im Januar
in March         | im März
in May           | im Mai
in July          | im Juli
in October       | im Oktober
in December      | im Dezember
"""
TIMES_PAST = """
yesterday         | gestern
yesterday evening | gestern Abend
last week         | letzte Woche
last month        | letzten Monat
last year         | letztes Jahr
last summer       | letzten Sommer
last winter       | letzten Winter
"""

FREQUENCIES = "always:immer often:oft sometimes:manchmal never:nie rarely:selten usually:normalerweise"
FOCUS = "already:schon again:wieder yet:noch"
MANNERS = "quickly:schnell slowly:langsam loudly:laut quietly:leise well:gut carefully:vorsichtig alone:allein"
VEHICLES_BY = "bus:dem,Bus train:dem,Zug bicycle:dem,Fahrrad car:dem,Auto"

# English | German infinitive present singular (ich du er) plural stem past stem.
MODALS = """
can            | können können kann kannst kann konnte
may            | dürfen dürfen darf darfst darf durfte
have to        | müssen müssen muss musst muss musste
want to        | wollen wollen will willst will wollte
should         | sollten sollten sollte solltest sollte -
would like to  | möchten möchten möchte möchtest möchte -
"""

# Verb: the manner adverbs that suit it.
MANNERS_OF = """
sleep  : well quietly
work   : quickly slowly well carefully alone
laugh  : loudly quietly
cry    : loudly quietly
dance  : well slowly alone
sing   : loudly quietly well alone
swim   : quickly slowly well alone
learn  : quickly slowly well
eat    : quickly slowly alone
drink  : quickly slowly
read   : quickly slowly quietly carefully
write  : quickly slowly
open   : carefully slowly quietly quickly
close  : carefully slowly quietly quickly
repair : quickly carefully alone
wash   : quickly carefully
clean  : quickly carefully alone
drive  : carefully slowly quickly alone
run    : quickly slowly
travel : alone
hike   : slowly alone
cook   : well slowly
play   : loudly quietly alone well
answer : quickly slowly quietly loudly
"""

# Verbs done with others, and verbs done for others.
WITH_PEOPLE = "work dance sing shop travel go drive hike eat drink cook play learn live watch_TV"
FOR_PEOPLE = "buy cook bake paint draw build write order sing open prepare organise look_for"

# What a part belongs to.
PARTS = """
name   : dog cat hotel restaurant river village song film
colour : clothing vehicle door
price  : clothing vehicle furniture device
end    : story film concert trip
"""

# Adjectives that are a reason to want a thing, and those that are a reason not to.
WELCOME = "good beautiful cheap new interesting easy important fast modern funny fresh famous sweet clean"
UNWELCOME = "bad ugly expensive old boring difficult slow broken strange heavy dirty"
# Adjectives that are a reason for people to do something.
MOTIVES = "tired ill happy sad hungry thirsty angry curious lazy hard-working rich poor friendly brave polite healthy"
# Adjectives of states that come and go.
MOODS = "tired ill happy sad friendly hungry thirsty angry curious lazy polite funny dirty cold warm loud quiet"
# Adjectives for people at work.
SKILLS = "good bad famous young old hard-working friendly clever lazy polite"
# Verbs by which one gets rid of a thing or mends it.
UNWELCOMING = "sell throw hide repair wash clean forget tidy"

LOOKS = "tired happy sad angry ill healthy friendly young old beautiful strong hungry"
SOLD = "object,clothing,vehicle,furniture"

# Group names used in frames that stand for several classes.
GROUPS = {
    "thing": "object clothing vehicle furniture paper show",
}
