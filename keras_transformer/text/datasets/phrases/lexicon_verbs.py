"""Verbs of the phrases grammar: English forms | German forms | the frames they govern.

English: base, past, participle, -ing form. ``get_up`` is one verb with a fixed second word; ``pick+up`` lets a
pronoun stand between ("picks it up"); a ``!`` marks a state verb, used in the present and future only, and
a ``~`` a verb that has no progressive. German: infinitive
(``auf|stehen`` is separable, ``sich`` reflexive), then the du and er forms where they are irregular, then the
participle, with ``/sein`` where the perfect takes sein.

Frames: ``i`` no object, ``a:CLASSES`` accusative, ``d:CLASSES`` dative, ``da:CLASSES`` a person in the dative and
a thing in the accusative (``dat:`` where English needs "to"), ``p:ENGLISH:GERMAN:CASE:CLASSES`` prepositional
object, ``dir`` goal, ``loc`` place, ``lie`` and ``stand`` position, ``put:CLASSES`` a thing moved to a position.
``<CLASSES`` after the kind names the subjects; people are the default.
"""

VERBS = """
sleep slept slept sleeping | schlafen,schläfst,schläft geschlafen | i<person,animal
work worked worked working | arbeiten gearbeitet | i
laugh laughed laughed laughing | lachen gelacht | i; p:about:über:a:telling,slip
cry~ cried cried crying | weinen geweint | i
dance danced danced dancing | tanzen getanzt | i
sing sang sung singing | singen gesungen | i; a:song
swim swam swum swimming | schwimmen geschwommen/sein | i<person,animal
smoke smoked smoked smoking | rauchen geraucht | i
smile smiled smiled smiling | lächeln gelächelt | i
get_up got_up got_up getting_up | auf|stehen aufgestanden/sein | i
wake_up~ woke_up woken_up waking_up | auf|wachen aufgewacht/sein | i
fall_asleep~ fell_asleep fallen_asleep falling_asleep | ein|schlafen,schläfst,schläft eingeschlafen/sein | i
watch_TV watched_TV watched_TV watching_TV | fern|sehen,siehst,sieht ferngesehen | i
shop shopped shopped shopping | ein|kaufen eingekauft | i
come_back came_back come_back coming_back | zurück|kommen zurückgekommen/sein | i
rest rested rested resting | sich aus|ruhen ausgeruht | i
hurry~ hurried hurried hurrying | sich beeilen beeilt | i
begin~ began begun beginning | beginnen begonnen | i<event
end~ ended ended ending | enden geendet | i<event
take_place~ took_place taken_place taking_place | statt|finden stattgefunden | i<event
depart~ departed departed departing | ab|fahren,fährst,fährt abgefahren/sein | i<line
arrive~ arrived arrived arriving | an|kommen angekommen/sein | i<transport,person
go went gone going | gehen gegangen/sein | dir
travel travelled travelled travelling | reisen gereist/sein | dir
drive drove driven driving | fahren,fährst,fährt gefahren/sein | dir
come came come coming | kommen gekommen/sein | dir
run ran run running | laufen,läufst,läuft gelaufen/sein | dir<person,animal
live! lived lived living | wohnen gewohnt | loc
stay stayed stayed staying | bleiben geblieben/sein | loc
hike hiked hiked hiking | wandern gewandert/sein | loc
lie! lay lain lying | liegen gelegen | lie<small,paper,clothing
stand! stood stood standing | stehen gestanden | stand<person,furniture,vehicle
put put put putting | legen gelegt | put:small,paper,clothing
read read read reading | lesen,liest,liest gelesen | a:text
write wrote written writing | schreiben geschrieben | a:story,mail
buy bought bought buying | kaufen gekauft | a:thing,food,plant,home
sell sold sold selling | verkaufen verkauft | a:thing,food,plant
see~ saw seen seeing | sehen,siehst,sieht gesehen | a<person,animal:thing,transport,person,animal,building
find~ found found finding | finden gefunden | a:thing,animal,idea,slip
lose~ lost lost losing | verlieren verloren | a:small,money,clothing
look_for looked_for looked_for looking_for | suchen gesucht | a:thing,transport,person,animal,building
need! needed needed needing | brauchen gebraucht | a:thing,idea,drink,money
have! had had having | haben,hast,hat gehabt | a:thing,pet,idea,money
take took taken taking | nehmen,nimmst,nimmt genommen | a:transport,small,clothing
eat ate eaten eating | essen,isst,isst gegessen | a:food
drink drank drunk drinking | trinken getrunken | a:drink
cook cooked cooked cooking | kochen gekocht | i; a:dish
bake baked baked baking | backen gebacken | a:baked
wash washed washed washing | waschen,wäschst,wäscht gewaschen | a:clothing,vehicle,pet,fruit
clean cleaned cleaned cleaning | putzen geputzt | a:opening,room,ware
repair repaired repaired repairing | reparieren repariert | a:vehicle,transport,device,opening,furniture
build built built building | bauen gebaut | a:built,furniture
paint painted painted painting | malen gemalt | a:plant,animal,building
draw drew drawn drawing | zeichnen gezeichnet | a:plant,animal,building
learn learned learned learning | lernen gelernt | i; a:lore
understand! understood understood understanding | verstehen verstanden | a:idea,story,telling,lore,person
know! knew known knowing | kennen gekannt | a:person,area,story,music,show,telling,part
love! loved loved loving | lieben geliebt | a:person,animal,music,lore
like! liked liked liking | mögen,magst,mag gemocht | a:food,drink,music,show,story,animal
hear~ heard heard hearing | hören gehört | a:music,animal,transport,person
visit visited visited visiting | besuchen besucht | a:person,building
meet~ met met meeting | treffen,triffst,trifft getroffen | a:person
ask asked asked asking | fragen gefragt | a:person
invite invited invited inviting | ein|laden,lädst,lädt eingeladen | a:person
call called called calling | an|rufen angerufen | a:person
pick+up picked picked picking | ab|holen abgeholt | a:person
greet greeted greeted greeting | grüßen gegrüßt | a:person
get_to_know~ got_to_know got_to_know getting_to_know | kennen|lernen kennengelernt | a:person
photograph photographed photographed photographing | fotografieren fotografiert | a:person,animal,building,plant
watch watched watched watching | beobachten beobachtet | a<person,animal:animal,person
look_at looked_at looked_at looking_at | betrachten betrachtet | a:image,plant,building
forget~ forgot forgotten forgetting | vergessen,vergisst,vergisst vergessen | a:small,money,clothing,mail,part
open opened opened opening | öffnen geöffnet | a:opening,mail,container
close closed closed closing | schließen geschlossen | a:opening,container
wear wore worn wearing | tragen,trägst,trägt getragen | a:clothing
put+on put put putting | an|ziehen angezogen | a:clothing
order ordered ordered ordering | bestellen bestellt | a:food,drink
steal~ stole stolen stealing | stehlen,stiehlst,stiehlt gestohlen | a:thing,money
hide hid hidden hiding | verstecken versteckt | a:object,paper
feed fed fed feeding | füttern gefüttert | a:animal
tidy+up tidied tidied tidying | auf|räumen aufgeräumt | a:room
throw+away threw thrown throwing | weg|werfen,wirfst,wirft weggeworfen | a:object,paper,clothing
bring+along brought brought bringing | mit|bringen mitgebracht | a:food,drink,object
turn+on turned turned turning | an|machen angemacht | a:switch
turn+off turned turned turning | aus|machen ausgemacht | a:switch
prepare prepared prepared preparing | vor|bereiten vorbereitet | a:event
organise organised organised organising | organisieren organisiert | a:event
use used used using | benutzen benutzt | a:device,ware,instrument
win~ won won winning | gewinnen gewonnen | a:contest
leave~ left left leaving | verlassen,verlässt,verlässt verlassen | a:building,area,room
show showed shown showing | zeigen gezeigt | da:thing,show,building
give gave given giving | geben,gibst,gibt gegeben | da:thing,fruit
send sent sent sending | schicken geschickt | da:mail,paper,money
tell told told telling | erzählen erzählt | da:telling
lend lent lent lending | leihen geliehen | da:object,vehicle,paper,money
bring brought brought bringing | bringen gebracht | da:food,drink,object
explain explained explained explaining | erklären erklärt | dat:idea,joke,slip
recommend recommended recommended recommending | empfehlen,empfiehlst,empfiehlt empfohlen | dat:story,show,building
help helped helped helping | helfen,hilfst,hilft geholfen | d:person,animal
thank~ thanked thanked thanking | danken gedankt | d:person
trust! trusted trusted trusting | vertrauen vertraut | d:person
follow followed followed following | folgen gefolgt/sein | d<person,animal:person,animal
answer~ answered answered answering | antworten geantwortet | d:person
congratulate congratulated congratulated congratulating | gratulieren gratuliert | d:person
listen_to listened_to listened_to listening_to | zu|hören zugehört | d:person
belong_to! belonged_to belonged_to belonging_to | gehören gehört | d<thing,pet:person
wait waited waited waiting | warten gewartet | i; p:for:auf:a:person,transport
think thought thought thinking | denken gedacht | p:of:an:a:person,event
talk talked talked talking | sprechen,sprichst,spricht gesprochen | p:about:über:a:idea,event,show; p:with:mit:d:person
dream dreamed dreamed dreaming | träumen geträumt | p:of:von:d:event,vehicle,home,area
remember! remembered remembered remembering | sich erinnern erinnert | p::an:a:person,event,area
look_forward~ looked_forward looked_forward looking_forward | sich freuen gefreut | p:to:auf:a:event
complain complained complained complaining | sich beschweren beschwert | p:about:über:a:idea,food,event,room
take_part took_part taken_part taking_part | teil|nehmen,nimmst,nimmt teilgenommen | p:in:an:d:event
take_care took_care taken_care taking_care | sich kümmern gekümmert | p:of:um:a:person,animal,plant
apologise apologised apologised apologising | sich entschuldigen entschuldigt | p:to:bei:d:person
play played played playing | spielen gespielt | i; a:contest; p:with:mit:d:pet,toy
rain rained rained raining | regnen geregnet | weather
snow snowed snowed snowing | schneien geschneit | weather
be! was been being | sein,bist,ist gewesen/sein | be
be! was been being | geben,gibst,gibt gegeben | exist
become became become becoming | werden,wirst,wird geworden/sein | become
look! looked looked looking | aus|sehen,siehst,sieht ausgesehen | look
cost! cost cost costing | kosten gekostet | cost
say! said said saying | sagen gesagt | that
believe! believed believed believing | glauben geglaubt | that
hope! hoped hoped hoping | hoffen gehofft | that; to
know! knew known knowing | wissen,weißt,weiß gewusst | that; whether
ask! asked asked asking | fragen gefragt | whether
try! tried tried trying | versuchen versucht | to
start! started started starting | an|fangen,fängst,fängt angefangen | to
promise! promised promised promising | versprechen,versprichst,verspricht versprochen | to
decide! decided decided deciding | beschließen beschlossen | to
forget! forgot forgotten forgetting | vergessen,vergisst,vergisst vergessen | to
stop! stopped stopped stopping | auf|hören aufgehört | ing
"""
