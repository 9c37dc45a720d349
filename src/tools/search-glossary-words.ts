/**
 * General words of other languages with their English, `word word: english english`. Nothing after the colon:
 * a word that says nothing by itself. Accents are off.
 */

/** Chinese and Japanese. */
export const UNSPACED_GLOSSARY = `
获取 查询 取得 得到 拿到 取得する 查 查看: get
搜索 查找 搜 检索 寻找 検索 探す 找: search
列出 列表 一覧 清单: list
读取 阅读 打开 読む 開く: read
写 写入 编写 書く 保存 存: write save
创建 新建 生成 作成 生成する 建立: create generate
删除 移除 去掉 削除: delete remove
修改 编辑 更新 编輯 更新する 編集 改: edit update
移动 移動: move
重命名 改名: rename move
复制 拷贝 コピー: copy
插入 添加 追加 加入 增加: add insert
转换 变成 変換 转成: convert
合并 結合: merge
拆分 分割: split
下载 ダウンロード: download fetch
上传 アップロード: upload
发送 送信: send
运行 执行 実行 启动 開始: run start execute
停止 结束 关闭 終了: stop end
比较 对比 比較: compare
计算 計算 算: calculate
推荐 建议 おすすめ: recommend
分析: analysis
翻译 翻訳: translate
总结 摘要 概要: summary
画 绘制 绘图 描く: draw generate
截图 スクリーンショット: screenshot
点击 クリック: click
文件 ファイル 檔案: file
文件夹 目录 フォルダ: directory
图片 图像 照片 画像 写真 图: image picture
视频 影片 動画: video
音乐 歌曲 音楽: music
文档 文書 ドキュメント: document
文本 文字 テキスト: text
表格 表: table sheet
幻灯片 演示文稿 スライド 演示: slide presentation
图表 チャート グラフ: chart
思维导图 脑图: mind map
流程图: flow diagram
网页 网站 页面 ウェブ サイト 网: web page
链接 网址: url link
代码 コード 程序: code
仓库: repository
项目: project
数据 データ: data
信息 情報 资料: information
详情 详细 详细信息: details
内容: content
元数据: metadata
新闻 资讯 头条 ニュース 消息: news
热门 热搜 热点 热榜 榜单 排行 排行榜 榜 人気 热度: trending rank hot
趋势: trend
最新 最近 近期: latest recent
今天 今日 今晚 今早: today current
明天 明日: date
现在 当前 目前: current
时间 時間: time
日期 几号 天: date
下个月 月: date month
时区: timezone
农历 黄历 宜忌 老黄历 吉日: lunar calendar
阳历 公历 西暦: solar calendar
八字 四柱 命理: bazi
出生 生日 生辰: birth date
天气 天気 气温 下雨: weather
地图 地図: map
地点 位置 場所 地方: location place
附近 周边 近く: nearby
路线 怎么走 ルート: route directions
城市 都市: city
车站 站 駅 火车站 站点: station
火车 列车 高铁 动车 车次 列車 電車 铁路: train
票 车票 余票 火车票 切符: tickets
中转 换乘 转车: interline transfer
停靠 经停 沿途 途经 停: route stations
酒店 住宿 房源 民宿 ホテル: listing accommodation
餐厅 饭店 レストラン: restaurant
菜 菜谱 食谱 做菜 做法 料理 レシピ: recipe
吃 吃饭 晚饭 晚餐 午餐 早餐 做饭 食べる: eat meal recipe
客人 人数: people
食材 过敏 忌口: recipe ingredient
股票 股价 股 株 株価: stock price
价格 多少钱 值多少 値段 价: price
汇率 为替: exchange rate
货币 钱: currency
黄金 金价: gold price
加密货币 比特币 币: crypto price
市场: market
公司 企业 会社: company
电影 映画 影视: movie
电视剧 剧 书 图书: douban rank
游戏 ゲーム: game
角色 人物: character
卡 卡片 卡牌 カード: card
技能: skill
装备 声骸: artifact item
比赛 赛程: schedule match
战队: team
知乎: zhihu
微博: weibo
豆瓣: douban
抖音: douyin
哔哩哔哩 哔哩 b站: bilibili
头条 今日头条: toutiao
掘金: juejin
少数派: sspai
值得买 什么值得买 性价比 好价 优惠 折扣 入手 便宜 购物 买: smzdm deal shopping
网易: netease
腾讯: tencent
微信: weread wechat
微信读书 读书 电子书: weread book
澎湃: thepaper
纽约时报: nytimes new york times
华尔街见闻: wallstreetcn
虎嗅: huxiu
爱范儿: ifanr
极客: geek
机核: gcores
游研社: yystv
科技 技术 技術: technology
财经 经济 经济学: finance economy
美国 アメリカ: us america
中国: china
日本: japan
世界 国际 全球: world
论文 学术 論文: paper article
百科: wikipedia
笔记 メモ: note
任务 待办 タスク: task
计划 规划: plan
记忆 记住 覚える: memory
问题: problem question
随机 抽 抽签: random
骰子: random
数字 数: number
密码 パスワード: password
域名: domain whois
用户 ユーザー: user
评论 コメント: comment
文章 記事: article
字幕: transcript
图标: icon
组件: component
容器: container docker
日志 ログ: logs
数据库: database
邮件 メール: email
日历 カレンダー: calendar
设置 配置 設定: settings config
版本: version
依赖: dependency
许可证: license
漏洞: vulnerability security
安装: install
测试 テスト: test
错误 报错 エラー: error
浏览器 ブラウザ: browser
屏幕 画面: screen
关键词 关键字 キーワード 标签: keyword tags
描述 说明: description
标题 タイトル: title
段落: paragraph
页 ページ: page
必应: bing
中文: chinese
`;

/** Languages with spaces; the order of languages does not matter. */
export const SPACED_GLOSSARY = `
obtenir obtener obter ottenere holen bekommen recuperer poluchit получить получи: get
chercher rechercher recherche trouver buscar busca encontrar cercare trovare cerca suchen suche finden finde procurar pesquisar найти найди поиск искать поищи zoek zoeken szukaj znajdz: search find
afficher montre montrer mostrar muestra zeigen zeige zeig mostra mostrare покажи показать toon pokaz: show get
lister liste listar lista elenca auflisten список перечисли: list
lire lis leer lee lesen lies leggere leggi ler прочитать прочитай читать lees czytaj: read
ouvrir ouvre abrir abre offnen offne aprire apri открыть открой: open read
ecrire ecris escribir escribe schreiben schreibe scrivere scrivi escrever написать напиши записать schrijf napisz: write
creer cree crear crea erstellen erstelle anlegen creare criar создать создай maak maken stworz utworz: create
ajouter ajoute anadir agregar hinzufugen aggiungere adicionar добавить добавь toevoegen dodaj: add
supprimer supprime effacer eliminar borrar borra loschen losche entfernen eliminare cancella apagar excluir удалить удали verwijder usun: delete remove
modifier changer cambiar modificar andern andere bearbeiten modificare cambia alterar изменить измени редактировать wijzig zmien: edit update
renommer renomme renombrar umbenennen rinominare renomear переименовать переименуй hernoem: rename move
deplacer mover verschieben spostare переместить перемести verplaats: move
copier copiar kopieren kopiere copiare скопировать копировать kopieer skopiuj: copy
convertir konvertieren umwandeln umrechnen convertire converter конвертировать преобразовать: convert
telecharger descargar herunterladen scaricare baixar скачать скачай: download fetch
envoyer enviar senden schicken inviare отправить отправь: send
lancer executer ejecutar ausfuhren starten starte eseguire avvia executar запустить запусти выполнить: run start
arreter detener parar stoppen beenden fermare остановить: stop
comparer comparar vergleichen confrontare сравнить сравни: compare
calculer calculate calcula calcular berechnen rechne calcolare calcola вычислить посчитай рассчитать: calculate
recommander recomendar empfehlen consigliare порекомендуй посоветуй: recommend
resumer resume resumir zusammenfassen riassumere суммируй: summary
dessiner dibujar zeichnen zeichne disegnare desenhar нарисуй нарисовать: draw generate
fusionner combinar zusammenfuhren unire объединить: merge
remplacer reemplazar ersetzen sostituire substituir заменить замени: replace
fichier fichiers archivo archivos datei dateien arquivo arquivos файл файлы bestand plik: file
dossier repertoire carpeta ordner verzeichnis cartella pasta папка папку: directory
image photo imagen foto bild bilder immagine imagem изображение картинку картинка фото: image picture
video videos видео filmpje: video
chanson musique cancion musica lied musik музыка песня: music
texte texto testo текст tekst: text
page pagina seite страница страницу strona: page
site sitio webseite sito сайт: website
lien enlace ссылка collegamento: link url
tableau tabla tabelle tabella tabela таблица таблицу: table sheet
diagramme graphique grafico diagramm diagramma график диаграмму диаграмма wykres: chart diagram
diapositive diapositiva folie folien prasentation presentacion apresentacao презентация слайд: slide presentation
nouvelles actualites noticias nachrichten notizie новости nieuws wiadomosci: news
meteo temps tiempo clima wetter tempo погода погоду weer pogoda: weather
heure hora uhrzeit ora время czas: time
prix precio preis prezzo preco цена цену стоимость cena: price
action actions accion acciones aktie aktien aktienkurs azione azioni acao акции акция: stock
kurs wechselkurs taux cambio курс: exchange rate
argent dinero geld denaro dinheiro валюта деньги: currency
or gold oro ouro золото: gold
recette recettes receta rezept rezepte ricetta receita рецепт рецепты przepis: recipe
train tren zug treno trem поезд pociag: train
gare estacion bahnhof stazione estacao станция вокзал: station
billet boleto fahrkarte biglietto билет билеты: tickets
hotel logement alojamiento unterkunft alloggio отель жилье: accommodation listing
restaurant restaurante ristorante ресторан: restaurant
ville ciudad stadt citta cidade город: city
adresse direccion indirizzo адрес: address
carte mapa karte mappa карта карту: map
chemin itineraire ruta strecke percorso маршрут: route directions
pres proche cerca nahe vicino perto рядом поблизости: nearby
ecole escuela schule scuola школа: school
note notes notiz notizen nota notas appunti заметка заметку: note
tache tarea aufgabe compito tarefa задача задачу: task
livre libro buch книга: book
jeu juego spiel gioco jogo игра: game
echecs ajedrez schach scacchi xadrez шахматы: chess
article articulo artikel articolo artigo статья: article
memoire memoria gedachtnis память: memory
hasard aleatorio zufall zufallig casuale случайное случайный случайную: random
nombre numero zahl число: number
aujourd hoy heute oggi hoje сегодня: today current
demain manana morgen domani завтра: date
date fecha datum data дата: date
dernier derniere dernieres ultimo ultima ultimas neueste letzte ultime последние последний: latest
histoire historique historial verlauf storico история: history
musee museo museum музей: museum
version versions versao версия: version
paquet paquete paket pacchetto пакет: package
branche rama zweig ветка ветку: branch
depot repositorio репозиторий: repository
navigateur navegador browser браузер: browser
utilisateur usuario benutzer utente пользователь: user
mot motdepasse contrasena passwort пароль: password
contenu contenido inhalt contenuto conteudo содержимое: content
titre titulo titel titolo заголовок: title
ligne linea zeile riga строка: line
erreur fehler errore erro ошибка ошибки: error
domaine dominio domain домен: domain
le la les un une des du de d l el los las una unos del der die das den dem ein eine einen einem il lo gli uno o os as um uma et y und e и ou oder в на из с по для с мне me mir mi moi pour para fur per por dans en in im avec con mit com sur sobre auf su mes mon ma meine mein mis mio mia que qui est es ist è qu quel quelle cual welche welcher quale какой какая какие что где как wie wo was donde dove ou come comment como quanto combien wieviel cuanto bitte por favor: 
`;
